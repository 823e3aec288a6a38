"""What alembic runs: bring the connection it is given to the wanted revision, inside its transaction."""

from __future__ import annotations

from alembic import context

from policy_sim.voter_lists.sql.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
