using System.Globalization;
using System.Reflection;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore;

/// <summary>
/// Binds the configuration section <c>Ioxide</c> where the host has a configuration, and checks options by the runtime's own rules when the host
/// starts. Names a wrong one by its whole key.
/// </summary>
internal sealed class IoxideTransportOptionsSetup(IServiceProvider services)
    : IConfigureOptions<IoxideTransportOptions>, IValidateOptions<IoxideTransportOptions>
{
    /// <exception cref="WrongOptionException">A value is not of its option's type, or a time without a unit.</exception>
    public void Configure(IoxideTransportOptions options)
    {
        if (services.GetService<IConfiguration>()?.GetSection(ConfigurationCheck.Section) is not { } section)
        {
            return;
        }

        RefuseBareNumbersOfDays(section);
        try
        {
            section.Bind(options);
        }
        catch (InvalidOperationException exception)
        {
            // The binder's message has the whole key, the value and the type.
            throw new WrongOptionException(exception.Message, exception);
        }
    }

    /// <exception cref="WrongOptionException">An option is out of its range, alone or combined with others.</exception>
    public ValidateOptionsResult Validate(string? name, IoxideTransportOptions options)
    {
        try
        {
            options.Validate();
            return ValidateOptionsResult.Success;
        }
        catch (ArgumentOutOfRangeException exception)
        {
            // The framework appends the parameter and its value to the reason, the value on a line of its own.
            string reason = exception.Message.Split(" (Parameter '")[0];
            throw new WrongOptionException(
                $"{ConfigurationCheck.Section}:{exception.ParamName} is {exception.ActualValue}, which cannot be used. {reason}", exception);
        }
    }

    /// <summary>.NET reads a bare number as days, and <c>StopDelay=5</c> is meant as seconds.</summary>
    private static void RefuseBareNumbersOfDays(IConfigurationSection section)
    {
        PropertyInfo[] options = typeof(IoxideTransportOptions).GetProperties();
        foreach (PropertyInfo option in options.Where(static option => option.PropertyType == typeof(TimeSpan)))
        {
            string? value = section[option.Name];
            if (int.TryParse(value, NumberStyles.Integer, CultureInfo.InvariantCulture, out int number) && number != 0)
            {
                throw new WrongOptionException(
                    $"{ConfigurationCheck.Section}:{option.Name} is {value}, which would be days. "
                        + "Write hours, minutes and seconds: 00:00:05 is 5 seconds.",
                    new FormatException($"'{value}' has no unit."));
            }
        }
    }
}
