using System.Globalization;

namespace Ioxide.Scaling;

/// <summary>Pairs of a name and a value.</summary>
internal sealed class Arguments
{
    private readonly Dictionary<string, string> _values = [];

    /// <exception cref="ArgumentException">A name has no value, or no dashes.</exception>
    internal Arguments(string[] arguments)
    {
        for (int index = 0; index < arguments.Length; index += 2)
        {
            if (!arguments[index].StartsWith("--", StringComparison.Ordinal) || index + 1 == arguments.Length)
            {
                throw new ArgumentException($"'{arguments[index]}' is no option with a value.");
            }

            _values[arguments[index][2..]] = arguments[index + 1];
        }
    }

    /// <exception cref="ArgumentException">It is missing.</exception>
    internal string Text(string name) => _values.TryGetValue(name, out string? value) ? value : throw new ArgumentException($"--{name} is missing.");

    /// <exception cref="ArgumentException">It is missing and has no default, or is no number.</exception>
    internal int Number(string name, int? otherwise = null)
        => !_values.TryGetValue(name, out string? value) && otherwise is { } number ? number
            : int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out int parsed) ? parsed
            : throw new ArgumentException($"--{name} needs a number.");
}
