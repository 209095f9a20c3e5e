namespace Ioxide.Tls;

/// <summary>Stands in <c>OnAuthenticate</c>, which Kestrel calls before each handshake of SslStream's, in front of the application's own.</summary>
/// <remarks>Options may be shared by end points, so the rules come with the connection.</remarks>
internal sealed class SslStreamHook
{
    private readonly Action<ConnectionContext, SslServerAuthenticationOptions>? _own;

    private SslStreamHook(Action<ConnectionContext, SslServerAuthenticationOptions>? own) => _own = own;

    /// <summary>Puts it in, once.</summary>
    internal static void Install(HttpsConnectionAdapterOptions https)
    {
        if (https.OnAuthenticate?.Target is not SslStreamHook)
        {
            https.OnAuthenticate = new SslStreamHook(https.OnAuthenticate).OnAuthenticate;
        }
    }

    /// <summary>What the application has set.</summary>
    internal static Action<ConnectionContext, SslServerAuthenticationOptions>? OwnOf(HttpsConnectionAdapterOptions https)
        => https.OnAuthenticate?.Target is SslStreamHook hook ? hook._own : https.OnAuthenticate;

    private void OnAuthenticate(ConnectionContext context, SslServerAuthenticationOptions options)
    {
        // No connection passes the end point's middleware without its rules.
        SslStreamRules rules = context.Features.Get<SslStreamRules>()
            ?? throw new InvalidOperationException("The connection did not come through the end point's TLS middleware.");
        rules.Apply(context, options, _own);
    }
}
