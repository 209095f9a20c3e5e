using System.Globalization;
using System.Text.RegularExpressions;

/// <summary>
/// The command line of a sample. Its usage text is the list of what it takes: a line <c>  --port N   ...</c> declares an option with a value, a
/// line <c>  --http   ...</c> one without. A web application also takes settings, <c>--Section:Key=value</c>.
/// </summary>
internal sealed partial class Arguments
{
    private readonly string _program = Path.GetFileNameWithoutExtension(Environment.ProcessPath is { } path && !path.EndsWith("dotnet", StringComparison.Ordinal)
        ? path
        : Environment.GetCommandLineArgs()[0]);

    private readonly Dictionary<string, string> _given = [];

    private Arguments()
    {
    }

    /// <summary>What is no option, in its order.</summary>
    internal List<string> Words { get; } = [];

    /// <summary>Reads a command line.</summary>
    /// <param name="args">What <c>Main</c> got.</param>
    /// <param name="usage">What <c>--help</c> prints.</param>
    /// <param name="mostWords">How many words that are no options it takes.</param>
    /// <returns>Null where the program has to end: it was asked for help, or the command line is wrong, which has been printed.</returns>
    internal static Arguments? Read(string[] args, string usage, int mostWords = 0)
    {
        if (args.Contains("--help") || args.Contains("-h"))
        {
            Console.WriteLine(usage);
            return null;
        }

        var arguments = new Arguments();
        Dictionary<string, bool> declared = Declared().Matches(usage)
            .ToDictionary(static match => match.Groups[1].Value, static match => match.Groups[2].Success);
        for (int index = 0; index < args.Length; index++)
        {
            string[] parts = args[index].Split('=', 2);
            string name = parts[0];
            if (!name.StartsWith('-'))
            {
                arguments.Words.Add(args[index]);
            }
            else if (IsSetting(name))
            {
                // The host reads it. A value may follow as a word of its own.
                index += parts.Length == 1 ? 1 : 0;
            }
            else if (!declared.TryGetValue(name, out bool hasValue))
            {
                return arguments.Refuse($"there is no option {name}");
            }
            else if (!hasValue)
            {
                arguments._given[name] = "";
            }
            else if (parts.Length == 2 || index + 1 < args.Length)
            {
                arguments._given[name] = parts.Length == 2 ? parts[1] : args[++index];
            }
            else
            {
                return arguments.Refuse($"{name} needs a value");
            }
        }

        return arguments.Words.Count > mostWords ? arguments.Refuse($"'{arguments.Words[mostWords]}' is no option") : arguments;
    }

    internal bool Has(string name) => _given.ContainsKey(name);

    /// <summary>The text that an option has, or null where it was not given.</summary>
    internal string? Text(string name) => _given.GetValueOrDefault(name);

    /// <summary>The number that an option has.</summary>
    /// <returns>False where it is none of 0 to <paramref name="most"/>, which has been printed.</returns>
    internal bool TryNumber(string name, int otherwise, int most, out int number)
    {
        number = otherwise;
        if (_given.TryGetValue(name, out string? text)
            && (!int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number) || number > most))
        {
            Refuse($"{name} takes a number from 0 to {most}, not '{text}'");
            return false;
        }

        return true;
    }

    /// <summary>The name that an option has, one of an enumeration's.</summary>
    /// <returns>False where it is none of them, which has been printed.</returns>
    internal bool TryName<T>(string name, T otherwise, out T value)
        where T : struct, Enum
    {
        value = otherwise;
        if (_given.TryGetValue(name, out string? text) && !Enum.TryParse(text, ignoreCase: true, out value))
        {
            Refuse($"{name} takes {string.Join(", ", Enum.GetNames<T>())}, not '{text}'");
            return false;
        }

        return true;
    }

    /// <summary>The address of a server that an option has.</summary>
    /// <returns>False where it is none, which has been printed.</returns>
    internal bool TryAddress(string name, string otherwise, out Uri address)
    {
        string text = _given.GetValueOrDefault(name, otherwise);
        bool isAddress = Uri.TryCreate(text, UriKind.Absolute, out Uri? parsed) && (parsed.Scheme is "http" or "https");
        address = parsed ?? new Uri(otherwise);
        if (!isAddress)
        {
            Refuse($"{name} takes an address such as {otherwise}, not '{text}'");
        }

        return isAddress;
    }

    /// <summary>The word as a connection string; null where there is no word.</summary>
    /// <returns>False where it is none, which has been printed.</returns>
    internal bool TryConnectionString(out string? text)
    {
        text = Words.FirstOrDefault();
        if (text is null || text.StartsWith("postgres", StringComparison.Ordinal) || text.Contains('=', StringComparison.Ordinal))
        {
            return true;
        }

        Refuse($"'{text}' is no connection string, which begins with postgresql:// or holds keywords, as in Host=localhost");
        return false;
    }

    // A key of the configuration has a colon; the framework's own have none.
    private static bool IsSetting(string name)
        => name.Contains(':', StringComparison.Ordinal) || name is "--urls" or "--environment" or "--contentRoot" or "--applicationName";

    private Arguments? Refuse(string problem)
    {
        Console.Error.WriteLine($"{_program}: {problem}. --help lists what there is.");
        Environment.ExitCode = 2;
        return null;
    }

    [GeneratedRegex(@"^ +(--[a-z-]+)( [A-Z]+)? ", RegexOptions.Multiline)]
    private static partial Regex Declared();
}
