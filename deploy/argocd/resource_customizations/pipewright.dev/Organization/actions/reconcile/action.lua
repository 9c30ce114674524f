local os = require("os")
if obj.metadata.annotations == nil then
  obj.metadata.annotations = {}
end
-- The operator acts on each new value. The time has whole seconds only, and every write changes the resourceVersion:
-- together they are new also when the action is run twice within a second.
obj.metadata.annotations["pipewright.dev/reconcile-requested-at"] = os.date("!%Y-%m-%dT%XZ") .. " at resourceVersion " .. obj.metadata.resourceVersion
return obj
