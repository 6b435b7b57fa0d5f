"""What may enter, what may leave, and who may change what?"""
