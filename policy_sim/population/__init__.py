"""People counted by place, sex, age and race."""
