"""Tables in the layouts that health departments publish, and whether `table check` reads them rightly."""
