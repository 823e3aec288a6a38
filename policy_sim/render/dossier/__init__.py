"""The dossier of a release: a document made from the figures that a run wrote, with the project that made it."""

from policy_sim.render.dossier.decision_parts import aim_in_words
from policy_sim.render.dossier.dossier_document import dossier_document, project_in_dossier, write_dossier

__all__ = ["aim_in_words", "dossier_document", "project_in_dossier", "write_dossier"]
