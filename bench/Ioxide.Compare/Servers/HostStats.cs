namespace Ioxide.Compare.Servers;

/// <summary>What the load host's <c>/stats</c> answers, as far as it is used here.</summary>
internal readonly record struct HostStats(string Transport, int Gen0Collections, long AllocatedBytes, long CompiledMethods);
