namespace Ioxide.Mutation;

/// <summary>The faults that are planted: mistakes that a programmer makes, where they would hurt.</summary>
internal static partial class FaultCatalog
{
    /// <summary>All of them; a fault's number is its place, from 1.</summary>
    internal static Fault[] All => [.. s_core, .. s_tls, .. s_files, .. s_aspNetCore, .. s_postgres, .. s_http2];
}
