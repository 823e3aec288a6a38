"""A state's voter list: what it holds, who may have it, and what it costs; as files, tables and a publication."""
