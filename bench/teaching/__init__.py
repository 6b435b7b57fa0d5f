"""How our own layers of the models were taught: made-up worlds with questions, and the lessons drawn from them."""
