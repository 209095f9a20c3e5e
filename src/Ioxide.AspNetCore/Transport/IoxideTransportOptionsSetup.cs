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
    /// <exception cref="WrongOptionException">A value is not of its option's type.</exception>
    public void Configure(IoxideTransportOptions options)
    {
        try
        {
            services.GetService<IConfiguration>()?.GetSection(ConfigurationCheck.Section).Bind(options);
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
}
