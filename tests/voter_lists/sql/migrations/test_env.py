"""What alembic runs: inside the transaction of the connection that it is given."""

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, inspect, text

from policy_sim.voter_lists.sql.connect import HEAD


def configured(connection):
    config = Config()
    config.set_main_option("script_location", "policy_sim.voter_lists.sql:migrations")
    config.attributes["connection"] = connection
    return config


def test_the_connection_that_is_given_is_the_one_that_is_changed():
    engine, other = create_engine("sqlite://"), create_engine("sqlite://")
    with engine.connect() as connection:
        command.upgrade(configured(connection), HEAD)
        assert "voter_list" in inspect(connection).get_table_names()
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == HEAD
    assert inspect(other).get_table_names() == []


def test_what_was_written_before_is_of_the_same_transaction(tmp_path):
    """Someone else sees nothing until the connection that was given commits."""
    (tmp_path / "lists.sqlite").touch()
    engine = create_engine(f"sqlite:///{tmp_path / 'lists.sqlite'}")
    with engine.begin() as connection:
        command.upgrade(configured(connection), HEAD)
        assert connection.in_transaction()
    assert "voter_list" in inspect(engine).get_table_names()
