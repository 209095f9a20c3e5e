namespace Ioxide.Mutation;

/// <summary>The faults that are planted: mistakes that a programmer makes, where they would hurt.</summary>
internal static partial class FaultCatalog
{
    /// <summary>All of them; a fault's number is its place, from 1.</summary>
    internal static Fault[] All => field ??= [.. Tested, .. Simulated];

    /// <summary>Those that test classes must notice.</summary>
    internal static Fault[] Tested => [.. s_core, .. s_tls, .. s_files, .. s_aspNetCore, .. s_postgres, .. s_http2, .. s_applications];

    /// <summary>Those that seeds of the simulation must notice.</summary>
    internal static Fault[] Simulated => [.. s_plain, .. s_blocking, .. s_stale, .. s_group];

    /// <summary>A fault's number.</summary>
    internal static int NumberOf(Fault fault) => Array.IndexOf(All, fault) + 1;
}
