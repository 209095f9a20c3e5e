namespace Ioxide.LoadHost;

/// <summary>What <c>/json</c> answers.</summary>
internal readonly record struct Greeting(string Message);
