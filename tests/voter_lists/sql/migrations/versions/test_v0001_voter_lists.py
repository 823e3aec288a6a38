"""The first migration makes the tables that the models describe, and can be undone."""

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, inspect

from policy_sim.voter_lists.sql.connect import HEAD
from policy_sim.voter_lists.sql.models import Base


def configured(connection):
    config = Config()
    config.set_main_option("script_location", "policy_sim.voter_lists.sql:migrations")
    config.attributes["connection"] = connection
    return config


def test_it_makes_what_the_models_describe():
    with create_engine("sqlite://").connect() as connection:
        command.upgrade(configured(connection), HEAD)
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_undone_it_leaves_only_the_table_of_versions():
    with create_engine("sqlite://").connect() as connection:
        command.upgrade(configured(connection), HEAD)
        command.downgrade(configured(connection), "base")
        assert inspect(connection).get_table_names() == ["alembic_version"]
