namespace Ioxide.BadNetwork;

/// <summary>Rows where the two sides differ, each with its reason. One that is listed and agrees fails.</summary>
internal static class Reasons
{
    private const string Truncated =
        "a TLS stream that ends inside of a record is a reset to Kestrel, which logs no error of the application then; both are IOException";

    private static readonly (string Scenario, Subject Subject, string Reason)[] s_all =
    [
        ("FIN both ways while it receives", Subject.Tls, Truncated),
        ("FIN of the peer while it receives", Subject.Tls, Truncated),
    ];

    /// <summary>Null where the sides must agree.</summary>
    internal static string? Find(string scenario, Subject subject)
        => s_all.FirstOrDefault(row => row.Scenario == scenario && row.Subject == subject).Reason;
}
