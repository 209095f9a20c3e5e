using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.CommandLine;

namespace Ioxide.AspNetCore;

/// <summary>The arguments of a host that is checked: as a start reads them, wherever <c>--ioxide-check</c> stands among them.</summary>
/// <remarks>
/// The configuration reads the argument behind one that has no <c>=</c> as its value. So <c>--ioxide-check --Ioxide:ReactorCount=2</c> sets a key
/// <c>ioxide-check</c>, and not <c>Ioxide:ReactorCount</c>.
/// </remarks>
internal static class CheckArguments
{
    private const string WithForm = IoxideCheck.Argument + "=text";

    private static readonly string s_key = IoxideCheck.Argument.TrimStart('-');

    // Read before anything can restore them.
    private static readonly string[] s_keysOfBuilder =
        [HostDefaults.EnvironmentKey, HostDefaults.ContentRootKey, HostDefaults.ApplicationKey];

    /// <summary>Sets the keys of the arguments that the check's has swallowed.</summary>
    internal static void Restore(IConfiguration configuration)
    {
        if (configuration is not IConfigurationRoot root)
        {
            return;
        }

        IConfigurationProvider[] providers = [.. root.Providers];
        IList<IConfigurationSource> sources = (configuration as IConfigurationBuilder)?.Sources ?? [];
        for (int index = 0; index < providers.Length; index++)
        {
            if (providers[index] is CommandLineConfigurationProvider provider && provider.TryGet(s_key, out string? swallowed)
                && IsArgument(swallowed))
            {
                // A configuration that is built does not say what its arguments were. A key without its value is refused later.
                IEnumerable<string> args = sources.Count == providers.Length && sources[index] is CommandLineConfigurationSource source
                    ? source.Args
                    : swallowed!.Contains('=', StringComparison.Ordinal) ? [IoxideCheck.Argument, swallowed] : [];
                Restore(provider, args);
            }
        }
    }

    /// <summary>Says of an argument that has no effect why, and what to do; null where all have one.</summary>
    internal static string? FindWrong(string[] args, IConfiguration? configuration)
    {
        int index = Array.IndexOf(args, IoxideCheck.Argument);
        if (index >= 0 && index + 1 < args.Length
            && (IsArgument(configuration?[s_key]) || s_keysOfBuilder.Contains(KeyOf(args[index + 1]), StringComparer.OrdinalIgnoreCase)))
        {
            return $"{args[index + 1]}: the configuration has read it as the value of {IoxideCheck.Argument}. "
                + $"Write {WithForm}, or {IoxideCheck.Argument} as the last argument.";
        }

        foreach (string arg in args)
        {
            string[] path = KeyOf(arg).Split(':');
            if (path.Length > 1 && path[0].Equals(ConfigurationCheck.Section, StringComparison.OrdinalIgnoreCase)
                && ConfigurationCheck.RemedyIfUnknown(path[1]) is { } remedy)
            {
                return $"{arg}: unknown argument, because Ioxide has no option of that name. {remedy}";
            }
        }

        return null;
    }

    private static void Restore(CommandLineConfigurationProvider provider, IEnumerable<string> args)
    {
        string[] asStarted = [.. args.Select(static arg => arg == IoxideCheck.Argument ? WithForm : arg)];
        foreach ((string key, string? value) in new ConfigurationBuilder().AddCommandLine(asStarted).Build().AsEnumerable())
        {
            if (value is not null)
            {
                provider.Set(key, value);
            }
        }
    }

    private static bool IsArgument(string? value) => value is ['-' or '/', ..] || value?.Contains('=', StringComparison.Ordinal) == true;

    private static string KeyOf(string arg) => arg.TrimStart('-', '/').Split('=')[0];
}
