using System.Collections;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>Puts connection strings together and takes them apart, with checked keywords and values.</summary>
/// <remarks>
/// It takes every keyword that <see cref="PgDataSourceOptions.Parse"/> knows, and keeps synonyms under one name: <c>Server</c> is
/// <c>Host</c>. Its form is <c>Host=a;Port=5433</c>; a URI goes through <see cref="Of(PgDataSourceOptions)"/>. Threads: one at a time.
/// </remarks>
[SuppressMessage("Naming", "CA1710", Justification = "The framework's own name for it ends in Builder.")]
[SuppressMessage("Design", "CA1010", Justification = "The base class says what it enumerates.")]
public sealed partial class PgDbConnectionStringBuilder : DbConnectionStringBuilder
{
    private PgDataSourceOptions? _options;

    /// <summary>Makes an empty one.</summary>
    public PgDbConnectionStringBuilder()
    {
    }

    /// <summary>Makes one with a connection string.</summary>
    /// <exception cref="ArgumentException">A keyword is unknown, or a value malformed.</exception>
    public PgDbConnectionStringBuilder(string? connectionString) => ConnectionString = connectionString;

    /// <summary>Only what is set; the names as the builder keeps them.</summary>
    public override ICollection Keys => base.Keys;

    /// <summary>The value of a keyword, as text.</summary>
    /// <exception cref="ArgumentException">There is no such keyword, it is not set, or the value is none of its.</exception>
    [AllowNull]
    public override object this[string keyword]
    {
        get => base[NameOf(keyword)];
        set
        {
            string name = NameOf(keyword);
            _options = null;
            if (value is null)
            {
                base.Remove(name);
                return;
            }

            string text = Convert.ToString(value, System.Globalization.CultureInfo.InvariantCulture) ?? "";
            Check(keyword, name, text);
            base[name] = text;
        }
    }

    /// <summary>A builder with what differs from the defaults, for options that were set by code or read from a URI.</summary>
    /// <remarks>What has no keyword is left out: a provider of passwords, run-time parameters.</remarks>
    public static PgDbConnectionStringBuilder Of(PgDataSourceOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        var builder = new PgDbConnectionStringBuilder();
        foreach ((string name, string text) in ConnectionStringWriter.Write(options))
        {
            builder[name] = text;
        }

        return builder;
    }

    /// <summary>The options that the string stands for.</summary>
    /// <exception cref="ArgumentException">Values contradict each other, such as two ports for one host.</exception>
    public PgDataSourceOptions ToOptions() => Read().Clone();

    /// <inheritdoc/>
    public override bool ContainsKey(string keyword) => ConnectionKeywords.TryFind(keyword) is { } known && base.ContainsKey(known.Canonical);

    /// <inheritdoc/>
    public override bool Remove(string keyword)
    {
        _options = null;
        return ConnectionKeywords.TryFind(keyword) is { } known && base.Remove(known.Canonical);
    }

    /// <inheritdoc/>
    public override bool ShouldSerialize(string keyword) => ContainsKey(keyword);

    /// <inheritdoc/>
    public override bool TryGetValue(string keyword, [NotNullWhen(true)] out object? value)
    {
        value = null;
        return ConnectionKeywords.TryFind(keyword) is { } known && base.TryGetValue(known.Canonical, out value);
    }

    /// <inheritdoc/>
    public override void Clear()
    {
        base.Clear();
        _options = null;
    }

    /// <summary>Takes the secrets out.</summary>
    internal PgDbConnectionStringBuilder WithoutSecrets()
    {
        Remove("Password");
        Remove("SSL Password");
        return this;
    }

    private static string NameOf(string keyword)
    {
        ArgumentNullException.ThrowIfNull(keyword);
        return ConnectionKeywords.Find(keyword).Canonical;
    }

    /// <summary>Hosts and ports are lists that belong together: a list is checked when all is read.</summary>
    private static void Check(string keyword, string name, string text)
    {
        ConnectionSettings settings = new() { HostsHavePorts = true };
        settings.Set(keyword, text);
        if (name is not ("Port" or "Host Address") || !text.Contains(',', StringComparison.Ordinal))
        {
            settings.Build();
        }
    }

    private PgDataSourceOptions Read()
    {
        if (_options is null)
        {
            ConnectionSettings settings = new() { HostsHavePorts = true };
            foreach (string name in base.Keys!)
            {
                settings.Set(name, (string)base[name]);
            }

            _options = settings.Build();
        }

        return _options;
    }

    private string? TextOf(string name) => base.TryGetValue(name, out object? value) ? (string)value : null;
}
