namespace Ioxide.Tls;

/// <summary>Kestrel's decision about a client's certificate, as its own HTTPS middleware makes it for SslStream.</summary>
/// <param name="isRequired">A client without a certificate is refused, in the handshake and with an alert that says so.</param>
/// <param name="validation">The application's decision; null accepts a certificate without errors.</param>
internal sealed class ClientValidation(bool isRequired, Func<X509Certificate2, X509Chain?, SslPolicyErrors, bool>? validation)
{
    internal bool IsRequired => isRequired;

    internal bool Validate(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
        => certificate is null
            ? !isRequired
            : validation is null ? errors == SslPolicyErrors.None : validation((X509Certificate2)certificate, chain, errors);
}
