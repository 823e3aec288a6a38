"""Areas of at least N people, made of whole ZIP code areas, and what a release that shows them risks."""
