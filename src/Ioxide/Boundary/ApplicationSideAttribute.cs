namespace Ioxide;

/// <summary>
/// On code: it is the application's side of the boundary. On a field, property or parameter: it holds a delegate of the application.
/// </summary>
/// <remarks>
/// Marked code may invoke such delegates, and its awaits continue where the application's do. On a reactor it runs inside
/// <see cref="Reactor.EnterApplication"/>. Everywhere else the rules IOX9001 to IOX9004 (eng/Ioxide.Rules) refuse both. The mark is for the
/// compiler alone, and in no assembly.
/// </remarks>
[AttributeUsage(AttributeTargets.All)]
[Conditional("IOXIDE_RULES")]
internal sealed class ApplicationSideAttribute : Attribute;
