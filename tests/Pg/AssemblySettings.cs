using Ioxide.Pg.Tests;

// A fixture compares the descriptors of the whole process, so one test would see another's.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
[assembly: AssemblyFixture(typeof(SharedPostgres))]
