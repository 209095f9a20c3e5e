using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ioxide.Pg;

/// <summary>
/// The options of <c>AddIoxidePg</c>: from the configuration section <c>Ioxide:Pg</c>, then from the connection string, then from code. The later
/// wins.
/// </summary>
/// <remarks>The keys of the section are the keywords of connection strings. Messages have the whole key and no value: it may be a password.</remarks>
internal sealed class HostedOptions
{
    private const string Section = "Ioxide:Pg";
    private const string Strings = "ConnectionStrings";

    private readonly List<IConfigurationSection> _unknown = [];

    /// <exception cref="WrongConfigurationException">A value cannot be used, or the configuration has no connection string of that name.</exception>
    internal HostedOptions(string? connectionString, Action<PgDataSourceOptions>? configure, IServiceProvider services)
    {
        IConfiguration? configuration = services.GetService<IConfiguration>();
        Options = Guarded(null, () => Read(configuration, connectionString));
        configure?.Invoke(Options);
        Options.TraceLeasesSet ??= services.GetService<IHostEnvironment>()?.IsDevelopment();
        Guarded(null, () => Options.Resolve());
    }

    internal PgDataSourceOptions Options { get; }

    /// <summary>Whether a connection string is the name of one: a single word, such as <c>shop</c>.</summary>
    internal static bool IsName(string connectionString)
        => connectionString.Length > 0 && connectionString.All(static c => char.IsLetterOrDigit(c) || c is '_' or '-' or '.');

    /// <summary>Warns about keys that no option has.</summary>
    internal void Report(ILoggerFactory? loggers)
    {
        var log = new PgLog(loggers?.CreateLogger("Ioxide.Pg") ?? NullLogger.Instance);
        foreach (IConfigurationSection key in _unknown)
        {
            log.UnknownKey(key.Path, $"{Section}:{OptionTable.Nearest(key.Key).Replace(" ", "", StringComparison.Ordinal)}");
        }
    }

    private PgDataSourceOptions Read(IConfiguration? configuration, string? connectionString)
    {
        var settings = new ConnectionSettings { HostsHavePorts = true };
        foreach (IConfigurationSection key in configuration?.GetSection(Section).GetChildren() ?? [])
        {
            if (string.Equals(key.Key, nameof(PgDataSourceOptions.RuntimeParameters), StringComparison.OrdinalIgnoreCase))
            {
                foreach (IConfigurationSection parameter in key.GetChildren())
                {
                    settings.Options.RuntimeParameters[parameter.Key] = parameter.Value ?? "";
                }
            }
            else if (OptionTable.TryFind(key.Key) is { } entry)
            {
                // Several hosts may be an array.
                string value = key.Value ?? string.Join(',', key.GetChildren().Select(static item => item.Value));
                entry.Read(settings, new SettingValue(key.Path, value));
            }
            else
            {
                _unknown.Add(key);
            }
        }

        if (connectionString is not null)
        {
            bool isName = IsName(connectionString);
            string text = isName ? Named(configuration, connectionString) : connectionString;
            Guarded(isName ? $"{Strings}:{connectionString}" : null, () =>
            {
                ConnectionString.Read(text, settings);
                return settings;
            });
        }

        return settings.Build();
    }

    private static string Named(IConfiguration? configuration, string name)
    {
        if (configuration?.GetConnectionString(name) is { } text)
        {
            return text;
        }

        string[] known = [.. (configuration?.GetSection(Strings).GetChildren() ?? []).Select(static key => key.Key)];
        throw new WrongConfigurationException(
            $"The configuration has no key {Strings}:{name}. " + (OptionTable.NearestOf(name, known) is { } nearest
                ? $"Did you mean {Strings}:{nearest}?"
                : "Add it, or pass a connection string instead of its name."),
            cause: null);
    }

    private static T Guarded<T>(string? key, Func<T> read)
    {
        try
        {
            return read();
        }
        catch (ArgumentException exception) when (exception is not WrongConfigurationException)
        {
            throw new WrongConfigurationException(key is null ? exception.Message : $"{key}: {exception.Message}", exception);
        }
    }
}

/// <summary>
/// An option has a value that cannot be used. A host that does not start because of it prints one line, without the calls that led there: no code
/// of the application is at fault.
/// </summary>
internal sealed class WrongConfigurationException(string message, Exception? cause) : ArgumentException(message, cause)
{
    public override string ToString() => Message;
}
