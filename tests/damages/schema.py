"""Damage to the schema: tables, columns, indexes, constraints."""

from catalogue.schema import REVISION
from damages.damage import Damage

SCHEMA = [
    Damage("index missing", "DROP INDEX ix_outcome_deal", "missing index: ix_outcome_deal"),
    Damage(
        "index that is unique missing", "DROP INDEX ix_deal_seed", "missing index: ix_deal_seed"
    ),
    Damage("table missing", "DROP TABLE shard", "missing table: shard"),
    Damage("table of facts missing", "DROP TABLE dead_end", "missing table: dead_end"),
    Damage("column unknown", "ALTER TABLE job ADD COLUMN mood TEXT", "unknown column"),
    Damage("column missing", "ALTER TABLE job DROP COLUMN error", "missing column"),
    Damage(
        "constraint missing",
        "UPDATE sqlite_master SET sql = replace(sql, 'seal BIGINT NOT NULL', 'seal BIGINT') "
        "WHERE name = 'batch'",
        "table batch is defined otherwise",
    ),
    Damage(
        "trigger",
        "CREATE TRIGGER t AFTER INSERT ON outcome BEGIN DELETE FROM bound; END",
        "unknown trigger: t",
    ),
    Damage(
        "alembic_version twice",
        "INSERT INTO alembic_version VALUES ('0004')",
        f"alembic_version has {REVISION}, 0004",
    ),
]
