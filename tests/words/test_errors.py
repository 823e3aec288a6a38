"""The error tree."""

from __future__ import annotations

import policy_sim.words.errors as errors


def test_every_error_descends_from_one():
    own = {name for name, thing in vars(errors).items() if isinstance(thing, type) and issubclass(thing, Exception)}
    assert all(issubclass(getattr(errors, name), errors.PolicySimError) for name in own)


def test_an_unknown_name_is_told_the_near_one_and_all_others():
    text = str(errors.UnknownNameError("policy", "safe-habor", ["safe-harbor", "limited-dataset"]))
    assert text == (
        "policy 'safe-habor' is not known. Did you mean 'safe-harbor'? Known: limited-dataset, safe-harbor."
    )


def test_a_schema_error_lists_every_problem_with_its_place():
    error = errors.SchemaError("xx.toml", ["one.", "two."])
    assert str(error).splitlines() == ["xx.toml: one.", "xx.toml: two."]


def test_no_error_repeats_a_password():
    address = "foo9://me:hush-hush@host/clinic"
    made = [
        errors.SourceError(f"{address}: cannot be reached."),
        errors.UnknownNameError("population", address, ["us-2010"]),
        errors.SchemaError(address, [f"policy = {address!r} is not known."]),
        errors.SchemaError.together({address: [f"source = {address!r} is not known."]}),
    ]
    for error in made:
        assert "foo9://…@host/clinic" in str(error)
        assert "hush" not in f"{error} {error!r} {vars(error)}"


def test_a_message_has_four_lines_at_most_and_says_what_it_leaves_out():
    few, many = (errors.SchemaError("f.toml", [f"{at} is wrong." for at in range(number)]) for number in (4, 2_000))
    assert str(few).splitlines() == [f"f.toml: {at} is wrong." for at in range(4)]
    assert str(many).splitlines() == [*str(few).splitlines()[:3], "f.toml: 1,997 more problems."]
    assert len(many.problems) == 2_000
    together = errors.SchemaError.together({"a.toml": ["x."] * 3, "b.toml": ["y."] * 3})
    assert str(together).splitlines() == ["a.toml: x."] * 3 + ["all files: 3 more problems."]
