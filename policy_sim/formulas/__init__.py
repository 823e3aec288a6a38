"""People fall into equally likely bins that the census does not show: one group, and many.

Golle (2006), Revisiting the uniqueness of simple demographics in the US population, WPES; Benitez and
Malin (2010), Evaluating re-identification risks with respect to the HIPAA privacy rule, JAMIA 17(2).
Every function of one group takes arrays that broadcast together and returns float64 of the broadcast shape; an argument
outside its range raises InputError. The numerical method and its measured accuracy are in ``docs/model.md``.

>>> from policy_sim.formulas.groups import Groups, g_distinct, total_risk
>>> groups = Groups.of(people=[200, 3], bins=[365, 2], unit=[0, 1])
>>> g_distinct(groups, [1, 5]).round(2).tolist()
[[115.86, 199.95], [0.75, 3.0]]
>>> total_risk(groups).round(2).tolist()
[154.14, 1.75]
"""
