// One test at a time has the processors, and the collector's promise to stay away.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
