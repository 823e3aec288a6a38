"""An attacker who knows only the written file: what it shows, against what the release claims of it."""
