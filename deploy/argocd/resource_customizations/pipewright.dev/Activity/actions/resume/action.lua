-- Not removed: where Git says "suspend: false", Argo CD would find it missing.
obj.spec.suspend = false
return obj
