"""Maps: states and counties, their classes, fills and legends."""
