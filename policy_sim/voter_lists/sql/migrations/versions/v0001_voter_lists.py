"""Lists with their fields, prices, buyers, uses, evidence, sources and conflicts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply the change."""
    op.create_table(
        "build",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table("buyer_class", sa.Column("name", sa.String(), nullable=False), sa.PrimaryKeyConstraint("name"))
    op.create_table("permitted_use", sa.Column("name", sa.String(), nullable=False), sa.PrimaryKeyConstraint("name"))
    op.create_table(
        "source",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("also", sa.String(), nullable=False),
        sa.Column("date", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "state",
        sa.Column("postal", sa.String(), nullable=False),
        sa.Column("fips", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("postal"),
    )
    op.create_table(
        "voter_list",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("vintage", sa.String(), nullable=False),
        sa.Column("scenario", sa.Boolean(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("valid_from", sa.Date(), nullable=False),
        sa.Column("valid_until", sa.Date(), nullable=True),
        sa.Column("buyers_known", sa.Boolean(), nullable=False),
        sa.Column("uses_known", sa.Boolean(), nullable=False),
        sa.CheckConstraint("valid_until IS NULL OR valid_until > valid_from", name="validity"),
        sa.ForeignKeyConstraint(
            ["state"],
            ["state.postal"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("state", "vintage"),
    )
    op.create_index(op.f("ix_voter_list_state"), "voter_list", ["state"], unique=False)
    op.create_index(op.f("ix_voter_list_vintage"), "voter_list", ["vintage"], unique=False)
    op.create_table(
        "conflict",
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("chosen", sa.String(), nullable=False),
        sa.Column("other", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("resolved", sa.Boolean(), nullable=False),
        sa.Column("list_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["list_id"], ["voter_list.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("position", "list_id"),
    )
    op.create_table(
        "evidence",
        sa.Column("item", sa.String(), nullable=False),
        sa.Column("confidence", sa.String(), nullable=False),
        sa.Column("carried_from", sa.String(), nullable=False),
        sa.Column("list_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["list_id"], ["voter_list.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("item", "list_id"),
    )
    op.create_table(
        "list_buyer",
        sa.Column("buyer", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("list_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["buyer"],
            ["buyer_class.name"],
        ),
        sa.ForeignKeyConstraint(["list_id"], ["voter_list.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("buyer", "list_id"),
    )
    op.create_table(
        "list_field",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("availability", sa.String(), nullable=False),
        sa.Column("granularity", sa.String(), nullable=False),
        sa.Column("wording", sa.String(), nullable=False),
        sa.Column("list_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["list_id"], ["voter_list.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("name", "list_id"),
    )
    op.create_table(
        "list_use",
        sa.Column("use", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("list_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["list_id"], ["voter_list.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["use"],
            ["permitted_use.name"],
        ),
        sa.PrimaryKeyConstraint("use", "list_id"),
    )
    op.create_table(
        "note",
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("list_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["list_id"], ["voter_list.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("position", "list_id"),
    )
    op.create_table(
        "price",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("base_usd", sa.Double(), nullable=False),
        sa.Column("usd_per_record", sa.Double(), nullable=False),
        sa.Column("free_records", sa.Integer(), nullable=False),
        sa.Column("usd_per_county", sa.Double(), nullable=False),
        sa.Column("usd_per_town", sa.Double(), nullable=False),
        sa.Column("min_usd", sa.Double(), nullable=False),
        sa.Column("max_usd", sa.Double(), nullable=True),
        sa.Column("quoted_usd", sa.Double(), nullable=True),
        sa.Column("date", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("list_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["list_id"], ["voter_list.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("list_id"),
    )
    op.create_table(
        "price_by_buyer",
        sa.Column("buyer", sa.String(), nullable=False),
        sa.Column("usd", sa.Double(), nullable=False),
        sa.Column("list_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["buyer"],
            ["buyer_class.name"],
        ),
        sa.ForeignKeyConstraint(["list_id"], ["voter_list.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("buyer", "list_id"),
    )
    op.create_table(
        "quote",
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("usd", sa.Double(), nullable=True),
        sa.Column("words", sa.String(), nullable=False),
        sa.Column("openness", sa.String(), nullable=False),
        sa.Column("list_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["list_id"], ["voter_list.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["source.id"],
        ),
        sa.PrimaryKeyConstraint("position", "list_id"),
    )
    op.create_table(
        "citation",
        sa.Column("list_id", sa.Integer(), nullable=False),
        sa.Column("item", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["list_id", "item"], ["evidence.list_id", "evidence.item"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["source.id"],
        ),
        sa.PrimaryKeyConstraint("list_id", "item", "position"),
    )
    op.create_index(op.f("ix_citation_source_id"), "citation", ["source_id"], unique=False)


def downgrade() -> None:
    """Undo the change."""
    op.drop_index(op.f("ix_citation_source_id"), table_name="citation")
    op.drop_table("citation")
    op.drop_table("quote")
    op.drop_table("price_by_buyer")
    op.drop_table("price")
    op.drop_table("note")
    op.drop_table("list_use")
    op.drop_table("list_field")
    op.drop_table("list_buyer")
    op.drop_table("evidence")
    op.drop_table("conflict")
    op.drop_index(op.f("ix_voter_list_vintage"), table_name="voter_list")
    op.drop_index(op.f("ix_voter_list_state"), table_name="voter_list")
    op.drop_table("voter_list")
    op.drop_table("state")
    op.drop_table("source")
    op.drop_table("permitted_use")
    op.drop_table("buyer_class")
    op.drop_table("build")
