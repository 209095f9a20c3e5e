using System.Collections.Concurrent;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Tls;

/// <summary>The contexts of a server, by name. Immutable but for the contexts that a selector's certificates get on their first use.</summary>
internal sealed class CertificateTable
{
    // A selector that makes a new certificate each time must not fill the memory.
    private const int MaxSelected = 1024;

    private readonly TlsServerOptions _options;
    private readonly Dictionary<string, TlsContext> _byName = new(StringComparer.OrdinalIgnoreCase);
    private readonly ConcurrentDictionary<X509Certificate2, TlsContext> _selected = new(ReferenceEqualityComparer.Instance);
    private volatile bool _hasLongKey;

    internal CertificateTable(TlsServerOptions options, X509Certificate2? certificate, X509Certificate2Collection? chain)
    {
        _options = options;
        Default = TlsContext.ForServer(
            options, certificate is null ? null : SslStreamCertificateContext.Create(certificate, chain, offline: true));
        HasDefault = certificate is not null;
        foreach ((string name, X509Certificate2 own) in options.CertificatesByName)
        {
            _byName[name] = TlsContext.ForServer(options, SslStreamCertificateContext.Create(own, chain, offline: true));
        }

        _hasLongKey = Default.HasLongKey || _byName.Values.Any(static context => context.HasLongKey);
    }

    /// <summary>The context that handshakes begin with.</summary>
    internal TlsContext Default { get; }

    /// <summary>A certificate here has a long key. Which one a client gets is not known when its handshake begins, so it counts for all.</summary>
    /// <remarks>A selector's certificates are known from their first use on.</remarks>
    internal bool HasLongKey => _hasLongKey;

    private bool HasDefault { get; }

    /// <summary>The context for a name, or null where it is refused.</summary>
    internal TlsContext? Find(RingConnection connection, string? name)
    {
        if (_options.CertificateSelector?.Invoke(connection, name) is { } selected)
        {
            return Of(selected);
        }

        if (name is not null && (_byName.TryGetValue(name, out TlsContext? context) || TryFindWildcard(name, out context)))
        {
            return context;
        }

        return HasDefault && !(_options.RequireKnownName && name is not null) ? Default : null;
    }

    private bool TryFindWildcard(string name, out TlsContext? context)
    {
        int dot = name.IndexOf('.', StringComparison.Ordinal);
        context = null;
        return dot > 0 && _byName.TryGetValue($"*{name[dot..]}", out context);
    }

    private TlsContext Of(X509Certificate2 certificate)
    {
        if (_selected.TryGetValue(certificate, out TlsContext? context))
        {
            return context;
        }

        if (_selected.Count >= MaxSelected)
        {
            _selected.Clear();
        }

        context = _selected.GetOrAdd(
            certificate,
            static (certificate, options) =>
                TlsContext.ForServer(options, SslStreamCertificateContext.Create(certificate, null, offline: true)),
            _options);
        if (context.HasLongKey)
        {
            _hasLongKey = true;
        }

        return context;
    }
}
