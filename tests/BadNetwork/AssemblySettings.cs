using Ioxide.BadNetwork;

// Namespaces, time-outs and descriptors: each test wants the machine for itself.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
[assembly: AssemblyFixture(typeof(SharedPostgres))]
[assembly: AssemblyFixture(typeof(Upstream))]
