using System.Runtime.Versioning;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Running;

[assembly: SupportedOSPlatform("linux")]

// One component a class, in this process: a benchmark in a process of its own would be built apart from the repository's settings.
ManualConfig config = ManualConfig.Create(DefaultConfig.Instance).AddDiagnoser(MemoryDiagnoser.Default);
return BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run([.. args, "--inProcess"], config)
    .Any(static summary => summary.HasCriticalValidationErrors) ? 1 : 0;
