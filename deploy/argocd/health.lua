-- One script for all kinds. It reads the status of the present generation and nothing else:
-- a suspended object is Suspended once the operator has seen that, not when the spec says so.
local hs = { status = "Progressing", message = "Waiting for the operator to reconcile this version of the object" }
if obj.status == nil or obj.status.observedGeneration ~= obj.metadata.generation then
  return hs
end
local found = {}
for _, condition in ipairs(obj.status.conditions or {}) do
  found[condition.type] = condition
end
local ready = found.Ready
if ready == nil then
  return hs
end
hs.message = ready.reason .. ": " .. ready.message
if ready.reason == "Suspended" or ready.reason == "Planned" then
  -- Nothing is sent, on purpose. The message of Planned begins with the number of changes.
  hs.status = "Suspended"
elseif found.Stalled ~= nil and found.Stalled.status == "True" then
  hs.status = "Degraded"
elseif ready.status == "True" or ready.reason == "TargetConflict" then
  -- Another object still owns the target, as during a rename. With PruneLast, Argo CD deletes the old object only when the
  -- new one is Healthy, and the new one becomes the owner only when the old one is gone. A conflict that lasts 5 minutes is
  -- Stalled.
  hs.status = "Healthy"
end
return hs
