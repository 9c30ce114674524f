-- Which actions Argo CD offers for an object. One script for all kinds.
local suspended = obj.spec.suspend == true
local deleted = obj.metadata.deletionTimestamp ~= nil
local actions = {}
-- Where nothing is sent on purpose, a request would be acknowledged without a call.
actions["reconcile"] = { ["disabled"] = suspended or obj.spec.mode == "Plan" }
-- A deletion goes on whatever spec.suspend says.
actions["suspend"] = { ["disabled"] = suspended or deleted }
actions["resume"] = { ["disabled"] = not suspended or deleted }
return actions
