namespace Ioxide.AspNetCore;

/// <summary>Checks options by the runtime's own rules when the host starts, and names a wrong one by its whole key.</summary>
internal sealed class IoxideTransportOptionsValidator : IValidateOptions<IoxideTransportOptions>
{
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
