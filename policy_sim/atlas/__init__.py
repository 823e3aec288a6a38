"""The atlas: a folder of linked pages on every state, every policy and every voter list, read without a server."""
