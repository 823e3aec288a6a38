"""From a file to a release that can be defended: questions, thresholds, context, verdict."""
