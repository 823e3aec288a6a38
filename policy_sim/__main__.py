"""``python -m policy_sim``: the command set, where the script ``policy-sim`` is not on the path."""

from __future__ import annotations

from policy_sim.cli.main import main

if __name__ == "__main__":
    main()
