// Native memory, descriptors and the queues of watched folders are counted for the whole process.
[assembly: Xunit.CollectionBehavior(DisableTestParallelization = true)]
