"""The voter lists as a database: tables, migrations, building, reading, and questions in SQL."""
