"""Areas of at least so many people, made of whole ZIP code areas, and what a release that shows them risks."""
