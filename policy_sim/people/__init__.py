"""People counted by place, sex, age and race: populations, their sources, and the store they are kept in."""
