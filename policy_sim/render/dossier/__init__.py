"""The dossier of a release: a document made from the figures that a run wrote, with the project that made it."""

from policy_sim.render.dossier.dossier_document import dossier_document, project_in_dossier, write_dossier

__all__ = ["dossier_document", "project_in_dossier", "write_dossier"]
