package web

// static serves what pages are made of, to be kept by browsers.
func (c *Console) static(v *visit) error {
	c.files.Handler().ServeHTTP(v.Response(), v.Request())
	return nil
}
