using System.Text.RegularExpressions;

namespace Ioxide.Tls.Tests;

/// <summary>What a client and the application saw of one connection.</summary>
/// <param name="Outcome">How the client was served, or that it was refused.</param>
/// <param name="Alert">The alert that the client got; null for none.</param>
/// <param name="Issuers">The issuers that the server named.</param>
/// <param name="Seen">The application's callbacks and requests.</param>
internal sealed partial record CertificateAnswer(string Outcome, TlsAlert? Alert, string Issuers, string Seen = "")
{
    internal const string Refused = "refused";
    internal const string OnRing = "served on a ring";
    internal const string BySslStream = "served by SslStream";

    internal bool IsServed => Outcome is OnRing or BySslStream;

    /// <summary>The names of some certificates must be new for each of them.</summary>
    internal CertificateAnswer WithoutNewNames() => this with { Seen = NewName().Replace(Seen, "new") };

    /// <summary>Where a client is refused, a ring sends an alert; stock Kestrel closes the connection.</summary>
    internal bool IsLike(CertificateAnswer other) => this with { Outcome = "", Alert = null } == other with { Outcome = "", Alert = null }
        && (Outcome == other.Outcome || (IsServed && other.IsServed));

    [GeneratedRegex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")]
    private static partial Regex NewName();
}
