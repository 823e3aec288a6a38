"""What each question computes, from people, policies and attackers: one module per question."""
