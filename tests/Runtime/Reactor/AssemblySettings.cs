// Fixtures compare the descriptors of the whole process, and limits and affinity belong to it too.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
