using System.Collections;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>Builds and parses connection strings, with checked keywords and values.</summary>
/// <remarks>
/// Accepts every keyword of <see cref="PgDataSourceOptions.Parse"/>, and keeps synonyms under one name: <c>Server</c> becomes
/// <c>Host</c>. The form is <c>Host=a;Port=5433</c>; convert a URI with <see cref="Of(PgDataSourceOptions)"/>. Threads: one at a time.
/// </remarks>
[SuppressMessage("Naming", "CA1710", Justification = "The framework's own name for it ends in Builder.")]
[SuppressMessage("Design", "CA1010", Justification = "The base class says what it enumerates.")]
public sealed partial class PgDbConnectionStringBuilder : DbConnectionStringBuilder
{
    private PgDataSourceOptions? _options;

    /// <summary>Creates an empty builder.</summary>
    public PgDbConnectionStringBuilder()
    {
    }

    /// <summary>Creates a builder with a connection string.</summary>
    /// <exception cref="ArgumentException">A keyword is unknown, or a value malformed.</exception>
    public PgDbConnectionStringBuilder(string? connectionString) => ConnectionString = connectionString;

    /// <summary>The keywords that are set, under the builder's names.</summary>
    public override ICollection Keys => base.Keys;

    /// <summary>The value of a keyword, as text.</summary>
    /// <exception cref="ArgumentException">The keyword is unknown or not set, or the value is invalid.</exception>
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

    /// <summary>Creates a builder with the non-default options, for options that were set in code or read from a URI.</summary>
    /// <remarks>Options without a keyword are omitted: the password provider and run-time parameters.</remarks>
    public static PgDbConnectionStringBuilder Of(PgDataSourceOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        var builder = new PgDbConnectionStringBuilder();
        foreach ((string name, string text) in OptionTable.Write(options))
        {
            builder[name] = text;
        }

        return builder;
    }

    /// <summary>Returns the options of the string.</summary>
    /// <exception cref="ArgumentException">Values contradict each other, such as two ports for one host.</exception>
    public PgDataSourceOptions ToOptions() => Read().Clone();

    /// <inheritdoc/>
    public override bool ContainsKey(string keyword) => OptionTable.TryFind(keyword) is { } known && base.ContainsKey(known.Names[0]);

    /// <inheritdoc/>
    public override bool Remove(string keyword)
    {
        _options = null;
        return OptionTable.TryFind(keyword) is { } known && base.Remove(known.Names[0]);
    }

    /// <inheritdoc/>
    public override bool ShouldSerialize(string keyword) => ContainsKey(keyword);

    /// <inheritdoc/>
    public override bool TryGetValue(string keyword, [NotNullWhen(true)] out object? value)
    {
        value = null;
        return OptionTable.TryFind(keyword) is { } known && base.TryGetValue(known.Names[0], out value);
    }

    /// <inheritdoc/>
    public override void Clear()
    {
        base.Clear();
        _options = null;
    }

    /// <summary>Removes the secrets.</summary>
    internal PgDbConnectionStringBuilder WithoutSecrets()
    {
        Remove("Password");
        Remove("SSL Password");
        return this;
    }

    private static string NameOf(string keyword)
    {
        ArgumentNullException.ThrowIfNull(keyword);
        return OptionTable.Find(keyword).Names[0];
    }

    /// <summary>Lists of hosts and ports belong together, and are checked when all keywords are read.</summary>
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
