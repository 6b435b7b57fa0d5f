"""Where do documents lie, and what makes a write durable?"""
