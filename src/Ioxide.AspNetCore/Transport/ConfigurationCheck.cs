using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore;

/// <summary>Warns when the host starts about keys below the section <c>Ioxide</c> that no option has, and names the nearest option.</summary>
internal sealed class ConfigurationCheck(IServiceProvider services, ILoggerFactory loggerFactory) : IHostedService, IHostCheck
{
    internal const string Section = "Ioxide";

    /// <summary>Every key below the section. <c>Pg</c> is a section of its own, which <c>AddIoxidePg</c> reads and checks.</summary>
    private static readonly string[] s_keys = [.. typeof(IoxideTransportOptions).GetProperties().Select(static option => option.Name), "Pg"];

    public Task StartAsync(CancellationToken cancellationToken)
    {
        ILogger logger = loggerFactory.CreateLogger("Ioxide.AspNetCore");
        foreach ((string path, string remedy) in FindUnknown())
        {
            TransportLog.UnknownKey(logger, path, remedy);
        }

        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task<IReadOnlyList<CheckLine>> CheckAsync(ReactorGroup? reactors, CancellationToken cancellationToken)
        => Task.FromResult<IReadOnlyList<CheckLine>>([.. FindUnknown().Select(static key => new CheckLine(
            "configuration", CheckState.Limited, $"Ioxide has no option of the name {key.Path}")
        {
            Cost = "the key has no effect", Remedy = key.Remedy,
        })]);

    /// <summary>What to do about a key below the section that no option has; null where one has it.</summary>
    internal static string? RemedyIfUnknown(string key) => s_keys.Contains(key, StringComparer.OrdinalIgnoreCase) ? null : Remedy(key);

    private IEnumerable<(string Path, string Remedy)> FindUnknown()
    {
        IEnumerable<IConfigurationSection> keys = services.GetService<IConfiguration>()?.GetSection(Section).GetChildren() ?? [];
        foreach (IConfigurationSection key in keys)
        {
            if (RemedyIfUnknown(key.Key) is { } remedy)
            {
                yield return (key.Path, remedy);
            }
        }
    }

    private static string Remedy(string key)
    {
        string nearest = s_keys.MinBy(known => Distance(known, key))!; // There are options.
        return Distance(nearest, key) <= Math.Max(2, nearest.Length / 3)
            ? $"Did you mean {Section}:{nearest}?"
            : "docs/options.md lists the options.";
    }

    /// <summary>How many letters have to be added, removed or replaced to make one name of the other, whatever their case.</summary>
    private static int Distance(string from, string to)
    {
        int[] above = [.. Enumerable.Range(0, to.Length + 1)];
        for (int row = 1; row <= from.Length; row++)
        {
            int[] current = new int[to.Length + 1];
            current[0] = row;
            for (int column = 1; column <= to.Length; column++)
            {
                bool isEqual = char.ToUpperInvariant(from[row - 1]) == char.ToUpperInvariant(to[column - 1]);
                current[column] = Math.Min(Math.Min(above[column], current[column - 1]) + 1, above[column - 1] + (isEqual ? 0 : 1));
            }

            above = current;
        }

        return above[to.Length];
    }
}
