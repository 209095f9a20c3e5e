// Descriptors, ports and processors belong to the whole machine, and each test here wants all of them.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
