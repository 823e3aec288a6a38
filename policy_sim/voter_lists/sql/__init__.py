"""The voter lists as a database: tables, building, reading, and questions in SQL."""
